import { runTestsIn } from './run/suite.ts'

await runTestsIn('copy', 'backup')
