import { serve } from '../app/serve.ts'
import { type Command, reportError } from './terminal/command.ts'

export const serveCommand: Command = {
  name: 'serve',
  summary: 'runs the service',
  example: 'serve',
  help: `
Runs the service until SIGTERM or SIGINT. Requests in flight are answered first; a second signal ends it at once.
Configuration is in environment variables named BERTH_..., which the guide lists. Exit code 1 also means that another
process uses the data or that the disk has failed: restart it once the disk works.`,
  // A half-dead socket or disk may still hold the event loop open after the service has stopped.
  run: async (_, config, terminal) =>
    process.exit(await serve(config).catch((error: unknown) => reportError(error, terminal))),
}
