import type { Patch } from './patches.ts'

/** Faults of what agents use. */
export const agentPatches: readonly Patch[] = [
  {
    fault: 'an agent is told of tools that its role may not use',
    file: 'src/http/agents/tools.ts',
    from: 'return tools.filter(({ route: { roles } }) => roles.includes(role))',
    to: 'return role ? tools : tools',
    test: ['http/agents/agents.test.ts', 'an agent is told of those tools that its role may use, in few words'],
  },
  {
    fault: 'what an agent does has no reason in the log',
    file: 'src/http/agents/run-tool.ts',
    from: ", 'berth-reason': recorded }",
    to: ', ...(recorded && {}) }',
    test: ['http/agents/agents.test.ts', 'an agent reserves a machine, connects, extends and releases it'],
  },
  {
    fault: 'a call waits on when its client has left',
    file: 'src/concurrency/waits.ts',
    from: "signal?.addEventListener('abort', leave)",
    to: '',
    test: ['http/agents/protocol.test.ts', 'one user has 16 places, and one that its client has left is free again'],
  },
]
