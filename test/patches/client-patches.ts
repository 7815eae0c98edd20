import type { Patch } from './patches.ts'

export const clientPatches: readonly Patch[] = [
  {
    fault: 'a child that a Python program forks gives its machine back',
    file: 'src/client/python/berth.py',
    from: 'os.register_at_fork(after_in_child=_forget)',
    to: 'pass',
    test: [
      'client/python/keeping.thorough.test.ts',
      'a forked child gives nothing back, neither at its end nor at SIGTERM',
    ],
  },
  {
    fault: 'a Python program that ends by SIGTERM keeps its machine',
    file: 'src/client/python/berth.py',
    from: '_give_back_all()\n                signal.signal(number, signal.SIG_DFL)',
    to: 'signal.signal(number, signal.SIG_DFL)',
    test: [
      'client/python/keeping.thorough.test.ts',
      'SIGTERM gives the machine back and ends the program as it would without',
    ],
  },
  {
    fault: 'a Python program that is interrupted leaves a machine behind that it was about to get',
    file: 'src/client/python/berth.py',
    from: '"Idempotency-Key": self._key}',
    to: '}',
    test: [
      'client/python/outages.thorough.test.ts',
      'one who is interrupted before the answer of its request finds the machine by its key, and gives it back',
    ],
  },
]
