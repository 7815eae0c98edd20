import { runClient } from './client.ts'
import { EXIT } from './failure.ts'
import { findInheritedDescriptors } from './inherited.ts'
import type { Output } from './output.ts'
import { hasNewNode } from './version.ts'

/** A reader may close the pipe early; a machine must be given back all the same. */
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

const own: Output = {
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  descriptors: findInheritedDescriptors(),
}
process.exitCode = hasNewNode(process.versions.node, own)
  ? await runClient(process.argv.slice(2), process.env, own)
  : EXIT.usage
