import { runTestsIn } from './suite.ts'

await runTestsIn('http/model')
