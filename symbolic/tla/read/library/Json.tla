---------------------------- MODULE Json ----------------------------
(* Names of the community module. Files are read below the folder of --read, and none is written. *)
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC
LOCAL Own == INSTANCE LeadlineBuiltIn

LOCAL Refused(name) == Assert(FALSE, name \o ": no JSON is written here")

ToJson(value) == Refused("ToJson")
ToJsonArray(value) == Refused("ToJsonArray")
ToJsonObject(value) == Refused("ToJsonObject")
JsonSerialize(file, value) == Refused("JsonSerialize")
JsonDeserialize(file) == Own!JsonRead(file)
ndJsonSerialize(file, value) == Refused("ndJsonSerialize")
ndJsonDeserialize(file) == Own!JsonLinesRead(file)
====================================================================
