---------------------------- MODULE IOUtils ----------------------------
(* Names of the community module. Nothing is read from files, written to them or run. *)
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC

LOCAL Refused(name) == Assert(FALSE, name \o ": files, programs and the environment are out of reach here")

IOSerialize(value, file, compress) == Refused("IOSerialize")
IODeserialize(file, compressed) == Refused("IODeserialize")
Serialize(value, file, options) == Refused("Serialize")
Deserialize(file, options) == Refused("Deserialize")
IOExec(command) == Refused("IOExec")
IOEnvExec(environment, command) == Refused("IOEnvExec")
IOExecTemplate(template, parameters) == Refused("IOExecTemplate")
IOEnvExecTemplate(environment, template, parameters) == Refused("IOEnvExecTemplate")
IOEnv == Refused("IOEnv")
atoi(text) == Refused("atoi")
zeroPadN(n, width) == Refused("zeroPadN")
=======================================================================
