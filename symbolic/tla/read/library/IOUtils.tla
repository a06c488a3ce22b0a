---------------------------- MODULE IOUtils ----------------------------
(* Names of the community module. Nothing is read from files, written to them or run, and there is no environment. *)
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC
LOCAL Own == INSTANCE LeadlineBuiltIn

LOCAL Refused(name) == Assert(FALSE, name \o ": files and programs are out of reach here")

IOSerialize(value, file, compress) == Refused("IOSerialize")
IODeserialize(file, compressed) == Refused("IODeserialize")
Serialize(value, file, options) == Refused("Serialize")
Deserialize(file, options) == Refused("Deserialize")
IOExec(command) == Refused("IOExec")
IOEnvExec(environment, command) == Refused("IOEnvExec")
IOExecTemplate(template, parameters) == Refused("IOExecTemplate")
IOEnvExecTemplate(environment, template, parameters) == Refused("IOEnvExecTemplate")
IOEnv == [name \in {} |-> ""]
atoi(text) == Own!atoi(text)
zeroPadN(n, width) == Refused("zeroPadN")
=======================================================================
