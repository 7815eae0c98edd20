import { runClient } from './client.ts'
import { findInheritedDescriptors } from './programs/inherited.ts'
import { EXIT, type Output } from './service/output.ts'

const NODE_MIN = 20

/** A reader may close the pipe early; a machine must be given back all the same. */
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

const own: Output = {
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  descriptors: findInheritedDescriptors(),
}
if (Number.parseInt(process.versions.node, 10) >= NODE_MIN)
  process.exitCode = await runClient(process.argv.slice(2), process.env, own)
else {
  own.stderr(`berth: this is Node ${process.versions.node}; the client needs Node ${NODE_MIN} or later\n`)
  process.exitCode = EXIT.usage
}
