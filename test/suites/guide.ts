import { runTestsIn } from './run/suite.ts'

await runTestsIn('guide', 'web/**')
