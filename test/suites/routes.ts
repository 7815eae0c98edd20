import { runTestsIn } from './run/suite.ts'

await runTestsIn(
  'http/routes/**',
  'http/retries',
  'http/refusals',
  'http/request',
  'http/races',
  'http/matching',
  'http/secrets',
  'http/scopes',
  'http/model',
)
