import { serve } from '../service/serve.ts'
import type { Command } from './terminal/command.ts'

export const serveCommand: Command = {
  name: 'serve',
  operands: [],
  options: {},
  summary: 'runs the service',
  example: 'serve',
  help: `
Runs the service until SIGTERM or SIGINT, which let requests under way be answered; a second signal ends it at once. It
is configured by variables named BERTH_...: see src/guide/configuration.md. Ends with 1 when another process has the
data, or when the disk has failed: start it again when the disk is well.`,
  // Whatever a half-dead socket or disk still holds open, the service has said that it is over.
  run: async (_, config) => process.exit(await serve(config)),
}
