---------------------------- MODULE Json ----------------------------
(* Names of the community module. Nothing is read from files or written to them. *)
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC

LOCAL Refused(name) == Assert(FALSE, name \o ": there is no JSON here")

ToJson(value) == Refused("ToJson")
ToJsonArray(value) == Refused("ToJsonArray")
ToJsonObject(value) == Refused("ToJsonObject")
JsonSerialize(file, value) == Refused("JsonSerialize")
JsonDeserialize(file) == Refused("JsonDeserialize")
ndJsonSerialize(file, value) == Refused("ndJsonSerialize")
ndJsonDeserialize(file) == Refused("ndJsonDeserialize")
====================================================================
