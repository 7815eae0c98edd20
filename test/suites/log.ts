import { runTestsIn } from './run/suite.ts'

await runTestsIn('audit/**', 'feed/**', 'history', 'export', 'log-version-1', 'bench/measure', 'behaviour', '.')
