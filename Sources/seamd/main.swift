import Glibc
import SeamServer

exit(Server.run(CommandLine.argc, CommandLine.unsafeArgv))
