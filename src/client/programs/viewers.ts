import { spawn } from 'node:child_process'
import { findExecutable } from './executable.ts'
import { exitCodeOf } from './program.ts'

/** Programs that connect to a machine, in the terminal of the client. */

/** Where a machine is reached. Both become arguments and variables of programs. */
export interface MachineAddress {
  readonly host: string
  readonly port: number
}

const inBrackets = (host: string): string => (host.includes(':') ? `[${host}]` : host)

type Arguments = (place: MachineAddress) => readonly string[]
type Viewer = readonly [program: string, Arguments]
const vncArguments: Arguments = ({ host, port }) => [`${inBrackets(host)}::${port}`]
const freerdpArguments: Arguments = ({ host, port }) => [`/v:${inBrackets(host)}:${port}`]
const plainArguments: Arguments = ({ host, port }) => ['--', host, String(port)]

/** Programs for each type of SUT. The first one installed is used. */
const VIEWERS: Readonly<Record<string, readonly Viewer[]>> = {
  vnc: [
    ['vncviewer', vncArguments],
    ['xtigervncviewer', vncArguments],
    ['gvncviewer', vncArguments],
    ['remote-viewer', ({ host, port }) => [`vnc://${inBrackets(host)}:${port}`]],
  ],
  rdp: [
    ['xfreerdp3', freerdpArguments],
    ['xfreerdp', freerdpArguments],
    ['wlfreerdp', freerdpArguments],
    ['rdesktop', ({ host, port }) => [`${inBrackets(host)}:${port}`]],
  ],
  tcp: [
    ['nc', plainArguments],
    ['ncat', plainArguments],
    ['telnet', plainArguments],
  ],
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
  const viewers = VIEWERS[type] ?? VIEWERS.tcp ?? []
  const programs = viewers.map(([program]) => program)
  for (const [program, argumentsFor] of viewers) {
    if ('path' in (await findExecutable(program, path))) {
      return { line: [program, ...argumentsFor(place)], isInstalled: true, programs }
    }
  }
  const [[program, argumentsFor] = ['nc', plainArguments] as const] = viewers
  return { line: [program, ...argumentsFor(place)], isInstalled: false, programs }
}

/** Runs a program in this terminal. Resolves to its exit code. */
export const runViewer = ([program, ...args]: Way['line']): Promise<number> =>
  new Promise((resolve, reject) => {
    const running = spawn(program, args, { stdio: 'inherit' })
    running.on('error', reject)
    running.on('exit', (code, signal) => resolve(code ?? exitCodeOf(signal as NodeJS.Signals)))
  })
