import { runClient } from './client.ts'
import { findInheritedDescriptors } from './programs/inherited.ts'
import { EXIT } from './service/failure.ts'
import type { Output } from './service/output.ts'
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
