/**
 * 服务器所说的英文，对应的中文：棋手、选项、评估函数、特征的说明，比赛的名称。错误有代码，其中文在服务器的 messages/zh.json。
 * 键是英文原文；`{…}` 处可以是任何文字。
 */

/** @type {Record<string, string>} */
export default {
  // 棋手
  "Any legal move, each as likely as the others.": "在所有合法着法中等概率随机选择。",
  "The move that leaves it best off in discs at once.": "选择当前一手之后子数最有利的着法。",
  "Outflank's own: trained patterns, a selective search and exact endings; level 14 by default.":
    "Outflank 自己的引擎：训练所得的棋形、选择性搜索与精确终局；默认等级 14。",
  "Looks at every line to a depth, with any heuristic.": "用任意评估函数，搜索到指定深度的全部变化。",
  "Plays like minimax but looks at far fewer lines; deepens step by step under a time limit.":
    "着法与极小极大相同，但看的变化少得多；限时则逐步加深。",
  "For Reversed Reversi: corners lowest, stable and frontier discs, a planned depth, 5 s per move.":
    "反黑白棋：角的价值最低，计稳定子与边界子，按计划的深度搜索，每手 5 秒。",
  "Square weights, liberty, stable discs and potential liberty in three phases; 5 s per move.":
    "格权、行动力、稳定子与潜在行动力，分三个阶段；每手 5 秒。",
  "Score, mobility, corners and piece values; three evaluations, three searches.":
    "子数、行动力、角与格值；三种评估、三种搜索。",
  "Parity, corners, corner closeness, mobility, frontier and squares in one weighted sum.":
    "子数差、角、近角、行动力、边界与格值的加权和。",
  "Monte Carlo tree search: UCB1 over random games; 10,000 playouts per move by default.":
    "蒙特卡洛树搜索：在随机对局上用 UCB1；默认每手模拟 10,000 局。",
  "Plain Monte Carlo: random games after every move, and the move that did best.":
    "朴素蒙特卡洛：对每个着法下随机对局，取结果最好的着法。",
  "Monte Carlo tree search with c = 0.1, simulations cut at depth 32, a draw as a loss.":
    "蒙特卡洛树搜索，c = 0.1，模拟到深度 32 为止，和棋算负。",
  "Tree search guided by tables it learnt from games against itself; 800 playouts by default.":
    "由自我对局学得的表引导的树搜索；默认模拟 800 次。",

  // 选项
  "1 (for beginners) to 30 (the strongest).": "1（适合初学者）到 30（最强）。",
  "Megabytes for its table of positions.": "置换表的大小（MB）。",
  "A file of `outflank train`, shipped, sums (without a network), or none.":
    "`outflank train` 的文件、shipped（随附）、sums（不带网络）或 none（不用）。",
  "An opening book: a file of `outflank book`, shipped, or none.": "开局库：`outflank book` 的文件、shipped（随附）或 none（不用）。",
  "Discs that a book move may cost; any such move is played.": "开局库着法允许损失的子数；在此范围内任选。",
  "Seconds per move.": "每手的秒数。",
  "Plies to look ahead.": "向前看的手数。",
  "Positions to visit per move.": "每手访问的局面数。",
  "A name of `outflank heuristics`, or a file: ./mine.py:edges.": "评估函数的名称。",
  "Searches every depth in turn, up to the one wanted.": "从浅到深依次搜索每个深度。",
  "Which moves it looks at first.": "先看哪些着法。",
  "Weight of the square values.": "格值的权重。",
  "The square value of a corner.": "角的格值。",
  "Weight of a stable disc.": "稳定子的权重。",
  "Weight of a frontier disc.": "边界子的权重。",
  "Weight of a remaining move.": "剩余着法的权重。",
  "Counts stable and frontier discs once, or as its code does.": "稳定子与边界子只计一次，或与其代码相同。",
  "Square weights: yes, no, a weight, or one per phase: 100/0.8/1.":
    "格权：yes、no、一个权重，或每阶段一个：100/0.8/1。",
  "Liberty, its legal moves; like weighting.": "行动力，即合法着法数；写法同格权。",
  "Stable discs by the triangle scan; like weighting.": "按三角扫描的稳定子；写法同格权。",
  "Potential liberty; like weighting.": "潜在行动力；写法同格权。",
  "Changes the weights with the phase of the game.": "权重随对局阶段变化。",
  "Which moves it looks at first; its document sorts by square weight.": "先看哪些着法；原文按格权排序。",
  "Which of its evaluation functions.": "用哪一个评估函数。",
  "Which of its searches.": "用哪一种搜索。",
  "The table of piece values, by name.": "格值表的名称。",
  "The whole sum, or one of its parts alone.": "整个加权和，或其中单独一项。",
  "Weight of piece parity in the whole sum.": "子数差在总和中的权重。",
  "Weight of corners.": "角的权重。",
  "Weight of discs beside empty corners.": "空角旁的子的权重。",
  "Weight of mobility.": "行动力的权重。",
  "Weight of frontier discs.": "边界子的权重。",
  "Weight of square values.": "格值的权重。",
  "Which search.": "用哪一种搜索。",
  "Multiplies sqrt(2 ln N / n) in UCB1: a larger one explores more.": "UCB1 中 sqrt(2 ln N / n) 的系数：越大越爱探索。",
  "Without one it is plain Monte Carlo.": "不用树即为朴素蒙特卡洛。",
  "Without a tree: playouts for all moves alike, or by UCB1.": "不用树时：各着法模拟次数相同，或按 UCB1 分配。",
  "What a draw is worth to it.": "和棋值多少。",
  "What a playout counts: a win or not, or its margin in discs.": "一次模拟的回报：胜负，或净胜子数。",
  "Stops playouts at depth > N and counts discs; 0 plays them to the end.":
    "模拟超过深度 N 即停止并数子；0 表示下到终局。",
  "Keeps what the tree knows from move to move.": "每手之间保留搜索树。",
  "Plays the move visited most, or the one with the best value.": "下访问最多的着法，或估值最高的着法。",
  "Backs up the results of finished games as proofs.": "把终局结果作为证明回传。",
  "Megabytes for the tree; when full, playouts go on without growing it.":
    "搜索树的大小（MB）；满后继续模拟但不再长大。",
  "Games to play out per move.": "每手模拟的局数。",
  "The constant of UCB1, for spread=ucb.": "UCB1 的常数（spread=ucb 时）。",
  "100, 1,000 or 10,000 playouts; normal unless limited.": "100、1,000 或 10,000 次模拟；不限时默认 normal。",
  "A weights file for the heuristic, written by `outflank learn`.": "评估函数的权重文件，由 `outflank learn` 写出。",
  "own, its author's; learnt, those we learnt; or a file of `outflank learn`.":
    "own：原作的权重；learnt：学得的权重；或 `outflank learn` 的文件。",
  "The piece values: learnt, version-1, version-2, printed, a table by name, or a file of weights.":
    "格值：learnt（学得的）、version-1、version-2、printed（按报告的表）、表的名称，或权重文件。",
  "A file of `outflank learn alphazero`, shipped, or none: all at random.":
    "`outflank learn alphazero` 的文件、shipped（自带的），或 none（全凭概率）。",
  "Multiplies a move's chance · sqrt(N) / (1 + n) in PUCT.": "PUCT 中 概率 · sqrt(N) / (1 + n) 的系数。",
  "How much worse than its parent's mean an untried move is taken to be.": "未试过的着法比父节点均值差多少。",
  "The constant of UCB1.": "UCB1 的常数。",
  "Stops simulations at depth > N and counts discs; 0 plays them to the end.":
    "模拟超过深度 N 即停止并数子；0 表示下到终局。",

  // 评估函数
  "Squares with the corner lowest, stable discs by corner rays, frontier discs, remaining moves.":
    "格值（角最低）、按角射线的稳定子、边界子、剩余着法。",
  "Square weights, liberty, stable discs and potential liberty, weighted in three phases.":
    "格权、行动力、稳定子与潜在行动力，分三个阶段加权。",
  "The first evaluation of self-taught: score, mobility and piece values.": "self-taught 的评估一：子数、行动力与格值。",
  "The second evaluation of self-taught: score, mobility, corners captured and piece values.":
    "self-taught 的评估二：子数、行动力、占角与格值。",
  "The third evaluation of self-taught: as the second, but a fixed value when both sides have corners.":
    "self-taught 的评估三：同评估二，但双方都有角时角按固定值计。",
  "The piece values of self-taught alone.": "仅用 self-taught 的格值。",
  "The difference in discs: what a beginner counts.": "子数之差：初学者数的就是它。",
  "Piece parity, the larger side's share of the discs.": "子数差，多者所占的比例。",
  "Actual and potential mobility, each the larger side's share.": "实际与潜在行动力，各取多者所占的比例。",
  "Ours: what most of the others count, in three phases; a start for weights of your own (`outflank learn`).":
    "自制：多数评估函数所计的特征，分三个阶段；可作为学习自己权重（`outflank learn`）的起点。",
  "Corners captured, potential and unlikely.": "已占、可能与不太可能的角。",
  "Stable discs count for, unstable ones against, semi-stable ones not at all.":
    "稳定子加分，不稳定子减分，半稳定子不计。",
  "The printed table of square values of dynamic.": "dynamic 文中印出的格值表。",
  "The sum of dynamic: 10p + 801.724c + 382.026l + 78.922m + 74.396f + 10d.":
    "dynamic 的加权和：10p + 801.724c + 382.026l + 78.922m + 74.396f + 10d。",

  // 特征
  squares: "格值",
  stable: "稳定子",
  unstable: "不稳定子",
  frontier: "边界子",
  moves: "剩余着法",
  weighting: "格权",
  liberty: "行动力",
  "potential liberty": "潜在行动力",
  score: "子数",
  mobility: "行动力",
  "potential mobility": "潜在行动力",
  corners: "角",
  "beside empty corners": "空角旁",
  "potential corners": "可能的角",
  "unlikely corners": "不太可能的角",
  "piece values": "格值",
  discs: "子数",
  "p: parity": "p：子数差",
  "c: corners": "c：角",
  "l: beside empty corners": "l：空角旁",
  "m: mobility": "m：行动力",
  "f: frontier": "f：边界子",
  "d: squares": "d：格值",

  // 比赛的结果与名称
  draw: "和棋",
  "{winner} wins": "{winner}胜",
  "{winner} wins by {margin}": "{winner}胜 {margin} 子",
  "{winner} wins ({reason})": "{winner}胜（{reason}）",
  "{winner} wins by {margin} ({reason})": "{winner}胜 {margin} 子（{reason}）",
  Black: "黑方",
  White: "白方",
  "{count} players, round-robin": "{count} 名棋手，循环赛",
  "{count} players, gauntlet": "{count} 名棋手，挑战赛",
  "{count} players, swiss": "{count} 名棋手，瑞士制",
  "{count} players, ladder": "{count} 名棋手，天梯赛",
};
