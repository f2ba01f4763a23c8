// Package delegate runs delegates: agents that each work on one task for another
// agent, in a separate session. It has the tool with which the model starts delegates,
// the agents that the model can choose from, and the pool of running delegates. A
// Session runs a delegate; cmd/agent implements it with package loop. Start reading at
// Pool.
package delegate
