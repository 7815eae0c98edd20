import { runTestsIn } from './run/suite.ts'

await runTestsIn(
  'http/authentication',
  'http/codecs',
  'http/documents',
  'http/protocol',
  'http/store',
  'http/server',
  'http/users',
)
