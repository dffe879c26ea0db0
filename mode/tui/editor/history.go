package editor

// maxHistory bounds how many texts are remembered.
const maxHistory = 200

// Remember adds a text to the history.
func (e *Editor) Remember(s string) {
	if s != "" && (len(e.history) == 0 || e.history[len(e.history)-1] != s) {
		e.history = append(e.history, s)
	}
	if len(e.history) > maxHistory {
		e.history = e.history[1:]
	}
	e.at = len(e.history)
}

// Up goes a row up; from the first one, to its beginning and then to the text before in the
// history.
func (e *Editor) Up() {
	row, column := e.cursor()
	switch {
	case row > 0:
		e.vertical(row-1, column)
	case e.pos > 0 && e.at == len(e.history):
		e.move(0)
	case e.at > 0:
		e.recall(e.at - 1)
	}
}

// Down goes a row down; from the last one, to the next text of the history, and at last back
// to the one that was being written.
func (e *Editor) Down() {
	row, column := e.cursor()
	switch {
	case row < len(e.rows())-1:
		e.vertical(row+1, column)
	case e.at < len(e.history):
		e.recall(e.at + 1)
	default:
		e.move(len(e.value))
	}
}

func (e *Editor) recall(at int) {
	if e.at == len(e.history) {
		e.draft = e.value
	}
	e.at = at
	s := e.draft
	if at < len(e.history) {
		s = e.history[at]
	}
	e.save(false)
	e.value = s
	e.moveTo(len(s))
}

// vertical goes to a row, to the column that was left when the first such step was made.
func (e *Editor) vertical(row, column int) {
	if e.goal >= 0 {
		column = e.goal
	}
	r := e.rows()[row]
	pos := e.place(r, column)
	e.move(pos)
	e.goal = column
}
