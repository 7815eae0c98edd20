import { runTestsIn } from './run/suite.ts'

await runTestsIn('http/races', 'http/matching', 'http/secrets', 'http/scopes', 'http/model', 'users/instances')
