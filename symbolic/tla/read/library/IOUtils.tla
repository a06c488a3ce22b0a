---------------------------- MODULE IOUtils ----------------------------
(* Names of the community module. Texts are read below the folder of --read; no file is written, nothing is run, and there is no environment. *)
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC
LOCAL Own == INSTANCE LeadlineBuiltIn

LOCAL Refused(name) == Assert(FALSE, name \o ": files are not written here, and programs are not run")

IOSerialize(value, file, compress) == Refused("IOSerialize")
IODeserialize(file, compressed) == Refused("IODeserialize")
Serialize(value, file, options) == Refused("Serialize")
Deserialize(file, options) ==
  IF options.format = "TXT" THEN [exitValue |-> 0, stderr |-> "", stdout |-> Own!TextRead(file)]
  ELSE Refused("Deserialize of a format other than TXT")
IOExec(command) == Refused("IOExec")
IOEnvExec(environment, command) == Refused("IOEnvExec")
IOExecTemplate(template, parameters) == Refused("IOExecTemplate")
IOEnvExecTemplate(environment, template, parameters) == Refused("IOEnvExecTemplate")
IOEnv == [name \in {} |-> ""]
atoi(text) == Own!atoi(text)
zeroPadN(n, width) == Refused("zeroPadN")
=======================================================================
