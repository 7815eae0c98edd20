import { runTestsIn } from './run/suite.ts'

await runTestsIn(
  'http/agents',
  'http/authentication',
  'http/codecs',
  'http/documents',
  'http/logins',
  'http/logins/oidc',
  'http/protocol',
  'http/store',
  'http/server',
  'http/users',
)
