import { parseAddress } from '../../http/protocol/client-address.ts'
import { makeClientPseudonyms } from '../../vault/derived/client-pseudonyms.ts'
import { readKeyRing } from '../../vault/keys.ts'
import { type Command, Misused, orFail } from '../terminal/command.ts'

export const clientCommand: Command = {
  name: 'client',
  operands: ['ADDRESS'],
  options: { json: { type: 'boolean' } },
  summary: 'prints what a client address looks like in the log',
  example: 'client 192.0.2.7',
  isOfFiles: true,
  help: `
No address is in the log: events that a request recorded name its client by a keyed hash. Prints this name under each
key of the vault, the current one first, one per line: search the log or the feed for it. Every loopback address is the
same client, and of an IPv6 address the first BERTH_GATEWAY_IPV6_PREFIX bits count. Works with or without a running
service.

With --json it prints {"clients":[...]}.`,
  run: async ({ operands: [typed = ''], options }, config, terminal) => {
    const address = parseAddress(typed)
    if (address === undefined) throw new Misused('expected an IPv4 or IPv6 address')
    const { keys } = orFail(await readKeyRing(config))
    const clients = keys.map((key) =>
      makeClientPseudonyms(() => ({ current: key, keys: [key] }), config.gateway.ipv6Prefix).of(address),
    )
    if (options.json) terminal.stdout(`${JSON.stringify({ clients })}\n`)
    else for (const client of clients) terminal.stdout(`${client}\n`)
  },
}
