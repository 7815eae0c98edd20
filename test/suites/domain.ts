import { runTestsIn } from './run/suite.ts'

await runTestsIn(
  'domain/**',
  'projections',
  'users',
  'users/oidc',
  'users/passwords',
  'vault',
  'telemetry',
  'app/**',
  'files',
  'concurrency',
)
