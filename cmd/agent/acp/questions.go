package acp

import (
	"context"
	"sync"

	"github.com/coder/acp-go-sdk"
)

// questions are the questions of a session that wait for the user of the editor. Each one
// waits in a goroutine. Questions are asked and withdrawn in the loop of the session; the
// goroutine of a question passes on its answer.
type questions struct {
	session acp.SessionId
	conn    *conn
	client  acp.ClientCapabilities
	feed    *feed
	ctx     context.Context // ends when the session is closed
	cancel  func()          // cancels the turn, as the user answered
	open    map[string]context.CancelFunc
	asking  sync.WaitGroup
}

// send sends the request of a question to the editor. It calls done in a goroutine once
// response is filled or the request has failed, unless the question was withdrawn.
func (q *questions) send(id, method string, request, response any, done func(error)) {
	ctx, withdraw := context.WithCancel(q.ctx)
	q.open[id] = withdraw
	q.feed.flush()
	q.asking.Go(func() {
		defer withdraw()
		var failed error
		defer q.conn.recovered(method, &failed)
		err := q.conn.call(ctx, method, request, response)
		if ctx.Err() != nil { // withdrawn
			return
		}
		if err != nil {
			q.conn.log("%s: %v", method, err)
		}
		done(err)
	})
}

// withdraw withdraws the question with that ID, if it waits.
func (q *questions) withdraw(id string) {
	if withdraw := q.open[id]; withdraw != nil {
		withdraw()
		delete(q.open, id)
	}
}

// withdrawAll withdraws all questions, and shows their calls as answered.
func (q *questions) withdrawAll() {
	for id, withdraw := range q.open {
		withdraw()
		q.feed.answered(id)
	}
	clear(q.open)
}
