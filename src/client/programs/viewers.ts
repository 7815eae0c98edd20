import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { findExecutable } from './executable.ts'
import { exitCodeOf } from './program.ts'

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
  const found = await Promise.all(programs.map((program) => findExecutable(program, path)))
  const first = found.findIndex((each) => 'path' in each)
  const program = programs[Math.max(first, 0)] ?? 'nc'
  return { line: [program, ...argumentsFor(program, place)], isInstalled: first !== -1, programs }
}

/** Runs a program in this terminal. Resolves to its exit code. */
export const runViewer = async ([program, ...args]: Way['line']): Promise<number> => {
  const [code, signal] = (await once(spawn(program, args, { stdio: 'inherit' }), 'exit')) as [number | null, string]
  return code ?? exitCodeOf(signal as NodeJS.Signals)
}
