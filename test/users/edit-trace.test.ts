import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { temporaryDirectory } from './temporary-directory.ts'

const CALLS = 'openat,fsync,fdatasync,rename,renameat,renameat2'

/** The calls on the users file and its directory in order, each with its name and file. */
const callsOf = (trace: string, directory: string): readonly string[] =>
  trace.split('\n').flatMap((line) => {
    const [, call = '', rest = ''] = /^\d+ +(\w+)\((.*)$/.exec(line) ?? []
    if (!rest.includes(directory) || /= -1 /.test(rest)) return []
    if (call === 'openat') return /O_CREAT|O_EXCL/.test(rest) ? [`make ${/"[^"]*\/([^/"]+)"/.exec(rest)?.[1]}`] : []
    if (call.startsWith('rename'))
      return [`rename ${[...rest.matchAll(/\/([^/"]+)"/g)].map(([, name]) => name).join(' ')}`]
    const synced = /^\d+<([^>]*)>/.exec(rest)?.[1] ?? ''
    return [`sync ${synced === directory ? 'directory' : synced.slice(directory.length + 1)}`]
  })

test('an edit creates a temporary file, syncs it, renames it and syncs the directory, in this order', async (t) => {
  const directory = await temporaryDirectory(t)
  const path = join(directory, 'users.json')
  const output = join(await temporaryDirectory(t), 'trace')
  const editor = [join(import.meta.dirname, 'edit-in-process.ts'), path, 'a', '1']
  try {
    await promisify(execFile)('strace', ['-f', '-y', '-o', output, '-e', `trace=${CALLS}`, process.execPath, ...editor])
  } catch (error) {
    const { code, stderr = '' } = error as NodeJS.ErrnoException & { stderr?: string }
    if (code !== 'ENOENT' && !/ptrace|PTRACE|not permitted/i.test(stderr)) throw error
    t.log(`NOT RUN: ${code === 'ENOENT' ? 'strace is not installed' : stderr}`)
    t.pass()
    return
  }
  const calls = callsOf(await readFile(output, 'utf8'), directory).filter((call) => !/\.lock/.test(call))
  t.deepEqual(calls, [
    'make users.json.new',
    'sync users.json.new',
    'rename users.json.new users.json',
    'sync directory',
  ])
})
