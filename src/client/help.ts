/** What the help of a command says. */
interface CommandHelp {
  readonly name: string
  readonly usage: string
  readonly summary: string
  readonly example: string
  /** Lines of up to 120 characters. */
  readonly help: string
}

const NEEDS = 'Needs BERTH_URL, and BERTH_TOKEN or BERTH_CREDENTIALS_FILE.'

const RESERVE_HELP: CommandHelp = {
  name: 'reserve',
  usage: `reserve --match KEY=VALUE[,VALUE]... --for DURATION [--not KEY=VALUE[,VALUE]]...
    [--wait DURATION [--priority NUMBER]] [--keepalive DURATION] [--extend DURATION] -- COMMAND [ARGUMENT]...`,
  summary: 'reserves a machine, runs a command on it, and gives it back',
  example: "reserve --match os=windows --match tag.rack=3,4 --for 30m -- sh -c 'ping -c 1 $SUT_HOST'",
  help: `
Reserves any machine that fits, waits until its port is open, runs COMMAND, and gives the machine back when COMMAND ends
or is killed. Signals are passed on to COMMAND, and without a terminal to all that it has started.

  --match KEY=VALUE        a criterion that the machine must meet; all of several. KEY is sut_type, manufacturer,
                           model, os, version, name or tag.NAME; of VALUE,VALUE either will do, and \\, is a comma;
                           KEY! is a machine without that field or tag
  --not KEY=VALUE          a criterion that leaves machines out
  --for DURATION           how long the machine is needed, such as 30m or 2h; a number alone is seconds
  --wait DURATION          how long to wait in the queue until a machine is free; not at all unless given
  --priority NUMBER        place in the queue, -100 to 100, larger first; 0 unless given
  --keepalive DURATION     how long the reservation outlives this program if that is killed; 2m unless given
  --extend DURATION        extends the reservation by this whenever less than five minutes are left

COMMAND gets SUT_HOST, SUT_PORT, SUT_ID and RESERVATION_ID in its environment, and neither BERTH_TOKEN nor
BERTH_CREDENTIALS_FILE. When the reservation is no longer in force, COMMAND and what it has started get SIGTERM, and ten
seconds later SIGKILL.

${NEEDS} Lines that begin with "berth: " are not COMMAND's.`,
}

/** The exit codes of `reserve`, and those of the client that others have. */
const EXIT_CODES = `Exit codes: COMMAND's own; 64 wrong usage; 69 the service or the machine is out of reach; 75 no machine is free in time;
76 the reservation is no longer in force; 77 refused; 126 COMMAND cannot be run; 127 there is no COMMAND; 128 + n for
signal n.`

const CONNECT_HELP: CommandHelp = {
  name: 'connect',
  usage: 'connect RESERVATION [--exec] [--json]',
  summary: 'prints how to connect to a reserved machine, or starts the viewer',
  example: 'connect lab-1 --exec',
  help: `
RESERVATION is an id, or the name of a SUT for your own running reservation of it. Waits up to 10 s until the port is
open, and prints host, port and a command that connects, separated by tabs. With --exec it starts the viewer that is
installed instead: vncviewer, xtigervncviewer, gvncviewer or remote-viewer for vnc; xfreerdp3, xfreerdp, wlfreerdp or
rdesktop for rdp; nc, ncat or telnet for tcp; and exits with its code.

With --json it prints what GET /api/sut_reservation/<id>/connection answers.`,
}

const RELEASE_HELP: CommandHelp = {
  name: 'release',
  usage: 'release RESERVATION',
  summary: 'gives a machine back, or withdraws a request',
  example: 'release lab-1',
  help: `
RESERVATION is an id, or the name of a SUT for your own running reservation of it. A reservation that has not begun is
cancelled. The id of a request that waits withdraws it.

${NEEDS}`,
}

const LIST_HELP: CommandHelp = {
  name: 'list',
  usage: 'list [--json]',
  summary: 'lists your reservations that are not over, and requests that wait',
  example: 'list --json',
  help: `
Prints id, name of the SUT, start and end of reservations, separated by tabs, by start. Then id, id of the SUT or
criteria, "waiting" and when it expires of requests that wait, the oldest first. With --json it prints reservations and
requests as GET /api/sut_reservation and GET /api/sut_request do.

${NEEDS}`,
}

export const CLIENT_COMMANDS: readonly CommandHelp[] = [RESERVE_HELP, CONNECT_HELP, RELEASE_HELP, LIST_HELP]

/** How the client is run where it was downloaded. */
const DOWNLOADED = 'node berth.mjs'

/** The help of a command, or that of all. */
export const clientHelpOf = (name: string | undefined, program = DOWNLOADED): string => {
  const found = CLIENT_COMMANDS.find((each) => each.name === name)
  if (found !== undefined) {
    return `${program} ${found.usage}\n\n${found.help.trim()}\n\n  ${program} ${found.example}\n\n${EXIT_CODES}\n`
  }
  const lines = CLIENT_COMMANDS.map(
    (each) => `  ${each.name.padEnd(10)}${each.summary}\n${' '.repeat(12)}${each.example}`,
  )
  return `berth: reserves the machines of a test lab\n\n  ${program} COMMAND\n
${lines.join('\n')}
  COMMAND --help shows more about a command
  --version      prints the version\n
Needs BERTH_URL, and BERTH_TOKEN or BERTH_CREDENTIALS_FILE: a file of mode 0600 with one line, a token, or a name, a
colon and a password.

${EXIT_CODES}\n`
}
