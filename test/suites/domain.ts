import { runTestsIn } from './run/suite.ts'

await runTestsIn(
  'domain/**',
  'projections',
  'users',
  'users/oidc',
  'vault',
  'telemetry',
  'service/**',
  'files',
  'control',
)
