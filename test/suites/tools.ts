import { runTestsIn } from './run/suite.ts'

await runTestsIn('command-line/**', 'deploy')
