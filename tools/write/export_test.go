package write

// Claim is the function that takes a call's place in the queue of its file.
var Claim = (*tool).claim

// NewTool returns the receiver of [Claim] and its declaration.
var NewTool = newTool

// Declare returns the tool as an agent has it.
var Declare = (*tool).declare
