// Objects whose members are their own and need no "this", as those are that Pi hands out:
// extensions spread them, take functions out of them and wrap them. Twenty closures for each
// event would cost more than the event, so a member is made when somebody looks at it.

const known = new WeakMap(); // prototype to its members by name

function membersOf(from) {
	let members = known.get(from);
	if (!members) {
		members = new Map();
		for (let p = from; p !== Object.prototype; p = Object.getPrototypeOf(p)) {
			for (const [name, d] of Object.entries(Object.getOwnPropertyDescriptors(p))) if (name !== "constructor" && !members.has(name)) members.set(name, d);
		}
		known.set(from, members);
	}
	return members;
}

// Members are the traps of such an object.
class Members {
	constructor(instance) {
		this.instance = instance;
		this.members = membersOf(Object.getPrototypeOf(instance));
		this.all = false; // whether each was made: what is deleted then stays away
	}

	make(target, name) {
		if (Object.hasOwn(target, name) || !this.members.has(name)) return;
		const { instance } = this;
		const { get, value } = this.members.get(name);
		const member = get ? { get: () => get.call(instance) } : { value: value.bind(instance), writable: true };
		Object.defineProperty(target, name, { ...member, enumerable: true, configurable: true });
	}

	whole(target) {
		if (!this.all) for (const name of this.members.keys()) this.make(target, name);
		this.all = true;
		return target;
	}

	get(target, name) {
		if (!this.all && !Object.hasOwn(target, name)) {
			const getter = this.members.get(name)?.get;
			if (getter) return getter.call(this.instance);
			this.make(target, name);
		}
		return target[name];
	}

	has(target, name) { return name in target || (!this.all && this.members.has(name)); }
	set(target, name, value) { return Reflect.set(this.whole(target), name, value); }
	ownKeys(target) { return Reflect.ownKeys(this.whole(target)); }
	getOwnPropertyDescriptor(target, name) { return Reflect.getOwnPropertyDescriptor(this.whole(target), name); }
	defineProperty(target, name, descriptor) { return Reflect.defineProperty(this.whole(target), name, descriptor); }
	deleteProperty(target, name) { return Reflect.deleteProperty(this.whole(target), name); }
}

// plain returns an object that has what the class of instance has.
export const plain = (instance) => new Proxy({}, new Members(instance));
