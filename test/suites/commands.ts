import { runTestsIn } from './suite.ts'

await runTestsIn('commands/**', 'read-models/**')
