import { runTestsIn } from './run/suite.ts'

await runTestsIn('http/model')
