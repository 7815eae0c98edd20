import { runTestsIn } from './suite.ts'

await runTestsIn('domain/**', 'projections', 'users', 'vault', 'telemetry', 'service/**', 'files', 'control')
