import { runTestsIn } from './run/suite.ts'

await runTestsIn('audit/**', 'feed/**', 'history', 'process/**', '.')
