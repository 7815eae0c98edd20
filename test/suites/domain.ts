import { runTestsIn } from './run/suite.ts'

await runTestsIn('domain/**', 'projections', 'users', 'vault', 'telemetry', 'service/**', 'files', 'control')
