import { runTestsIn } from './run/suite.ts'

await runTestsIn('http/routes/**', 'http/retries', 'http/refusals', 'http/request')
