import { text } from 'node:stream/consumers'
import type { Recorded } from '../../src/domain/event.ts'
import { listenPortDecider } from '../../src/domain/listen-port/decide.ts'
import { sutDecider } from '../../src/domain/sut/decide.ts'

/** The states after every prefix of a log, starting with the empty one. */
const folded = <S>(evolve: (state: S, event: Recorded) => S, initial: S, log: readonly Recorded[]): readonly S[] => {
  const states = [initial]
  for (const event of log) states.push(evolve(states.at(-1) as S, event))
  return states
}

// Run by fold.test.ts in other time zones and languages: reads logs from stdin and prints the states of every prefix,
// and for control a time and a number formatted in the process's own zone and language.
const { suts, ports } = JSON.parse(await text(process.stdin)) as { suts: Recorded[][]; ports: Recorded[] }
const time = new Date(suts[0]?.[0]?.metadata.time ?? 0)
process.stdout.write(
  JSON.stringify({
    states: [
      suts.map((log) => folded(sutDecider.evolve, sutDecider.initial, log)),
      folded(listenPortDecider.evolve, listenPortDecider.initial, ports),
    ],
    inThisZone: `${time.getHours()}:${time.getMinutes()}`,
    inThisLanguage: new Intl.NumberFormat().format(1234.5),
  }),
)
