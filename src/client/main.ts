import { runClient } from './client.ts'

/** A reader may close the pipe early; a machine must be given back all the same. */
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

process.exitCode = await runClient(process.argv.slice(2), process.env, {
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
})
