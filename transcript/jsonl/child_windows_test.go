package jsonl_test

func childFull(string) {}

func childBequeath(string) {}
