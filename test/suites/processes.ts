import { runTestsIn } from './suite.ts'

await runTestsIn('process/**')
