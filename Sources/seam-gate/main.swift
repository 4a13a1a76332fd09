import Glibc

exit(Gate.run(CommandLine.argc, CommandLine.unsafeArgv))
