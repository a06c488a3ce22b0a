---------------------------- MODULE Json ----------------------------
(* Names of the community module. Files are read below the folder of --read, and none is written. *)
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC
LOCAL Own == INSTANCE LeadlineBuiltIn

LOCAL Refused(name) == Assert(FALSE, name \o ": no file is written here")

ToJson(value) == Own!JsonText(value)
ToJsonArray(value) == Own!JsonText(value)
ToJsonObject(value) == Own!JsonText(value)
JsonSerialize(file, value) == Refused("JsonSerialize")
JsonDeserialize(file) == Own!JsonRead(file)
ndJsonSerialize(file, value) == Refused("ndJsonSerialize")
ndJsonDeserialize(file) == Own!JsonLinesRead(file)
====================================================================
