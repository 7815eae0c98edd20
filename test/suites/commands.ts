import { runTestsIn } from './run/suite.ts'

await runTestsIn('commands/**', 'read-models/**')
