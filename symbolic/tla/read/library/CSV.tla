---------------------------- MODULE CSV ----------------------------
(* Names of the community module. Nothing is read from files or written to them. *)
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC

LOCAL Refused(name) == Assert(FALSE, name \o ": files are out of reach here")

CSVWrite(template, value, file) == Refused("CSVWrite")
CSVRead(columns, delimiter, file) == Refused("CSVRead")
CSVWriteRecord(value, delimiter, headers, file) == Refused("CSVWriteRecord")
CSVRecords(file) == Refused("CSVRecords")
===================================================================
