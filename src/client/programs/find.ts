import { access, constants as fileConstants, open, stat } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { ClientFailure } from '../service/output.ts'

/** Exit codes of shells for a program that is not there, and for one that cannot be run. */
export const [NOT_FOUND, NOT_EXECUTABLE] = [127, 126]

/** What a shell looks through without the variable PATH. */
const USUAL_PATH = '/usr/local/bin:/usr/bin:/bin'

/** A file that can be run, or the code of the error why there is none. */
type Found = { readonly path: string } | { readonly code: string }

const tryFile = async (path: string): Promise<Found> => {
  try {
    await access(path, fileConstants.X_OK)
    return (await stat(path)).isFile() ? { path } : { code: 'EACCES' }
  } catch (error) {
    return { code: (error as NodeJS.ErrnoException).code ?? 'EIO' }
  }
}

/** Finds a program as a shell does: in the folders of `path`, unless its name has a slash. */
const findExecutable = async (name: string, path = USUAL_PATH): Promise<Found> => {
  if (name.includes('/')) return tryFile(name)
  let code = 'ENOENT'
  for (const folder of path.split(delimiter)) {
    const file = await tryFile(join(folder || '.', name))
    if ('path' in file) return file
    if (file.code === 'EACCES') code = file.code
  }
  return { code }
}

/** Maximum bytes of the first line that a kernel reads. */
const FIRST_LINE_MAX = 256

/** The program that the first line of a script names; undefined if the file is no script, or cannot be read. */
const interpreterOf = async (path: string): Promise<string | undefined> => {
  const file = await open(path).catch(() => undefined)
  if (file === undefined) return undefined
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(FIRST_LINE_MAX), 0, FIRST_LINE_MAX, 0)
    return /^#![ \t]*([^ \t\n]+)/.exec(buffer.toString('latin1', 0, bytesRead))?.[1]
  } finally {
    await file.close()
  }
}

/** Finds out before anything is reserved that a program cannot be run. @throws why, with the exit code of a shell */
export const checkExecutable = async (name: string, path: string | undefined): Promise<void> => {
  const program = await findExecutable(name, path)
  if ('code' in program) {
    const isMissing = program.code === 'ENOENT'
    const why = `${name} cannot be run: ${isMissing ? 'there is no such program' : program.code}`
    throw new ClientFailure(isMissing ? NOT_FOUND : NOT_EXECUTABLE, why)
  }
  const interpreter = await interpreterOf(program.path)
  if (interpreter === undefined || 'path' in (await tryFile(interpreter))) return
  const why = `${name} cannot be run: its first line names ${interpreter}, which cannot be run`
  throw new ClientFailure(NOT_EXECUTABLE, why)
}

/** Programs that connect to a machine, in the terminal of the client. */

/** Where a machine is reached. Both become arguments and variables of programs. */
export interface MachineAddress {
  readonly host: string
  readonly port: number
}

/** Programs for each type of SUT. The first one installed is used. */
const VIEWERS: Readonly<Record<string, readonly string[]>> = {
  vnc: ['vncviewer', 'xtigervncviewer', 'gvncviewer', 'remote-viewer'],
  rdp: ['xfreerdp3', 'xfreerdp', 'wlfreerdp', 'rdesktop'],
}
const PLAIN = ['nc', 'ncat', 'telnet']

const argumentsFor = (program: string, { host, port }: MachineAddress): readonly string[] => {
  const bracketed = host.includes(':') ? `[${host}]` : host
  if (program.endsWith('vncviewer')) return [`${bracketed}::${port}`]
  if (program.includes('freerdp')) return [`/v:${bracketed}:${port}`]
  if (program === 'remote-viewer') return [`vnc://${bracketed}:${port}`]
  return program === 'rdesktop' ? [`${bracketed}:${port}`] : ['--', host, String(port)]
}

/** How to connect to a machine from here. */
export interface Way {
  /** The program that is installed, or else the first that would do, and its arguments. */
  readonly line: readonly [program: string, ...args: string[]]
  readonly isInstalled: boolean
  /** The programs that would do. */
  readonly programs: readonly string[]
}

/** @param path the folders of programs, as in the variable PATH */
export const findWay = async (type: string, place: MachineAddress, path: string): Promise<Way> => {
  const programs = VIEWERS[type] ?? PLAIN
  const files = await Promise.all(programs.map((program) => findExecutable(program, path)))
  const first = files.findIndex((each) => 'path' in each)
  const program = programs[Math.max(first, 0)] ?? 'nc'
  return { line: [program, ...argumentsFor(program, place)], isInstalled: first !== -1, programs }
}
