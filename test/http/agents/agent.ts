import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { ExecutionContext } from 'ava'
import { basic } from '../client.ts'
import type { Running } from '../harness.ts'

/** The result of a tool: what it says, and the same as an object unless it failed. */
export interface Said {
  readonly failed: boolean
  readonly text: string
  readonly json: Readonly<Record<string, unknown>>
}

/** An agent that uses the client of those who make the protocol. */
export const agentOf = async (
  t: ExecutionContext,
  { url }: Pick<Running, 'url'>,
  who: string,
  mode: 'auto' | 'legacy' = 'auto',
) => {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const requestInit = { headers: { Authorization: who.startsWith('Bearer') ? who : basic(who) } }
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }))
  t.teardown(() => client.close())
  return {
    client,
    tools: async () => (await client.listTools()).tools,
    use: async (name: string, args: Readonly<Record<string, unknown>> = {}): Promise<Said> => {
      const { isError = false, content, structuredContent = {} } = await client.callTool({ name, arguments: args })
      const [first] = content
      const text = first?.type === 'text' ? first.text : ''
      return { failed: isError, text, json: structuredContent as Said['json'] }
    },
  }
}
