import { runTestsIn } from './run/suite.ts'

await runTestsIn('command-line/**', 'client/**', 'deploy', 'patches')
