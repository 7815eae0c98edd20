import { runTestsIn } from './suite.ts'

await runTestsIn('audit/**', 'feed', 'history', 'export', 'backup', 'copy', 'log-version-1', 'bench', 'behaviour', '.')
